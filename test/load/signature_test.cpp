// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/signature/signature.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "folder.h"

namespace sartor::loader {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A file with its signature in the same directory, and a directory with the key that checks it.
class SignatureTest : public testing::Test {
protected:
  void SetUp() override {
    fs::permissions(folder.path(), fs::perms(0755));
    file = folder.write("library.so", "what is signed");
    fs::create_directory(keys);
    fs::permissions(keys, fs::perms(0755));
    make("one");
    fs::copy_file(folder.path() / "one.pub", keys / "one.pub");
    fs::permissions(keys / "one.pub", fs::perms(0644));
    sign("one");
  }

  void make(const std::string &name) const {
    const auto made = base::make_keys(folder.path() / name);
    ASSERT_TRUE(made) << made.error().text();
  }
  void sign(const std::string &name) const {
    const auto key = SecretKey::read(folder.path() / (name + ".key"));
    ASSERT_TRUE(key) << key.error().text();
    const auto digest = FileDigest::of(file);
    ASSERT_TRUE(digest) << digest.error().text();
    const auto written = write_signature(digest->sign(*key), signature_beside(file));
    ASSERT_TRUE(written) << written.error().text();
  }

  [[nodiscard]] Result<void> check() const {
    const auto files = base::public_keys_in(keys);
    if (!files)
      return std::unexpected(files.error());
    std::vector<PublicKey> all;
    for (const fs::path &each : *files) {
      const auto key = base::read_public_key(each);
      if (!key)
        return std::unexpected(key.error());
      all.push_back(*key);
    }
    return check_signature(file, file,
                           std::vector{signature_beside(file), signature_in(keys, file)}, all);
  }
  void expect_refused(const fs::path &subject, const char *says) const {
    const auto checked = check();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::file_error);
    EXPECT_EQ(checked.error().subject, subject);
    EXPECT_THAT(checked.error().message, HasSubstr(says));
    EXPECT_FALSE(checked.error().remedy.empty());
  }

  static std::string text_of(const fs::path &path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  Folder folder;
  fs::path file;
  fs::path keys = folder.path() / "keys";
};

TEST_F(SignatureTest, WhatIsSignedFits) {
  const auto checked = check();
  EXPECT_TRUE(checked) << checked.error().text();
}

TEST_F(SignatureTest, AFileLargerThanAPieceFits) {
  std::ofstream(file) << std::string(1'000'001, 'x');
  sign("one");
  EXPECT_TRUE(check());
  std::ofstream(file, std::ios::app) << 'x';
  EXPECT_FALSE(check());
}

TEST_F(SignatureTest, AnEmptyFileCanBeSigned) {
  std::ofstream(file, std::ios::trunc).close();
  expect_refused(file, "has been changed");
  sign("one");
  EXPECT_TRUE(check());
}

TEST_F(SignatureTest, AChangedByteIsNoticed) {
  std::ofstream(file) << "what is signee";
  expect_refused(file, "has been changed");
  std::ofstream(file) << "what is signed";
  EXPECT_TRUE(check());
}

TEST_F(SignatureTest, AnotherKeysSignatureDoesNotFit) {
  make("two");
  sign("two");
  expect_refused(file, "signed with another key");
  fs::copy_file(folder.path() / "two.pub", keys / "two.pub");
  EXPECT_TRUE(check()) << "one of the keys is enough";
}

TEST_F(SignatureTest, AFileWithoutASignatureIsRefused) {
  fs::remove(signature_beside(file));
  expect_refused(file, "is not signed");
}

TEST_F(SignatureTest, ASignatureMayBeInADirectory) {
  fs::rename(signature_beside(file), signature_in(keys, file));
  EXPECT_TRUE(check());
}

TEST_F(SignatureTest, ADamagedSignatureDoesNotHideAGoodOne) {
  fs::copy_file(signature_beside(file), signature_in(keys, file));
  std::ofstream(signature_beside(file)) << "damaged";
  EXPECT_TRUE(check());
}

TEST_F(SignatureTest, ATruncatedSignatureIsRefused) {
  const fs::path signature = signature_beside(file);
  for (const std::size_t size : {0, 1, 64, 127}) {
    fs::resize_file(signature, size);
    expect_refused(signature, "is not 128 hexadecimal digits");
  }
}

TEST_F(SignatureTest, ASignatureThatIsTooLongOrNotHexadecimalIsRefused) {
  const fs::path signature = signature_beside(file);
  const std::string good = text_of(signature);
  for (const std::string &bad :
       {good + "0", good + "\n", "g" + good.substr(1), " " + good, std::string(128, '\0')}) {
    std::ofstream(signature) << bad;
    expect_refused(signature, "is not 128 hexadecimal digits");
  }
}

TEST_F(SignatureTest, AChangedSignatureDoesNotFit) {
  std::string text = text_of(signature_beside(file));
  text.front() = text.front() == '0' ? '1' : '0';
  std::ofstream(signature_beside(file)) << text;
  expect_refused(file, "has been changed");
}

TEST_F(SignatureTest, AFileThatIsNotThereIsRefused) {
  fs::remove(file);
  expect_refused(file, "cannot be read");
}

TEST_F(SignatureTest, AKeyOfAnotherLengthIsRefused) {
  const fs::path key = keys / "one.pub";
  const std::string good = text_of(key);
  for (const std::string &bad : {std::string(), good.substr(1), good + "00", good + good}) {
    std::ofstream(key) << bad;
    expect_refused(key, "is not 64 hexadecimal digits");
  }
}

TEST_F(SignatureTest, ADirectoryWithoutKeysIsRefused) {
  fs::rename(keys / "one.pub", keys / "one.txt");
  expect_refused(keys, "has no public key");
  fs::remove_all(keys);
  expect_refused(keys, "cannot be looked at");
}

TEST_F(SignatureTest, KeysThatOthersCanWriteAreRefused) {
  for (const unsigned mode : {0664U, 0646U}) {
    fs::permissions(keys / "one.pub", fs::perms(mode));
    expect_refused(keys / "one.pub", "written by others");
  }
  fs::permissions(keys / "one.pub", fs::perms(0644));
  for (const unsigned mode : {0775U, 0757U, 01777U}) {
    fs::permissions(keys, fs::perms(mode));
    expect_refused(keys, "written by others");
  }
}

TEST_F(SignatureTest, ALinkToWhereOthersCanWriteIsRefused) {
  const fs::path elsewhere = folder.path() / "elsewhere";
  fs::create_directory(elsewhere);
  fs::permissions(elsewhere, fs::perms(0777));
  fs::rename(keys / "one.pub", elsewhere / "one.pub");
  fs::create_symlink(elsewhere / "one.pub", keys / "one.pub");
  expect_refused(elsewhere, "written by others");
}

TEST_F(SignatureTest, KeysOfSomebodyElseAreRefused) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown((keys / "one.pub").c_str(), 65534, 65534), 0);
  expect_refused(keys / "one.pub", "belongs to another user (65534)");
}

TEST_F(SignatureTest, ANewSecretKeyIsPrivate) {
  EXPECT_EQ(fs::status(folder.path() / "one.key").permissions(), fs::perms(0600));
}

TEST_F(SignatureTest, NewKeysReplaceNothing) {
  const fs::path secret = folder.path() / "one.key", shown = folder.path() / "one.pub";
  const std::string before = text_of(secret);
  const auto again = base::make_keys(folder.path() / "one");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::file_error);
  EXPECT_EQ(again.error().subject, secret);
  EXPECT_EQ(text_of(secret), before);

  fs::remove(secret);
  const auto half = base::make_keys(folder.path() / "one");
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().subject, shown);
  EXPECT_FALSE(fs::exists(secret)) << "half of a pair is of no use";
}

TEST_F(SignatureTest, ASecretKeyThatOthersCanReadIsRefused) {
  for (const unsigned mode : {0640U, 0604U, 0620U}) {
    fs::permissions(folder.path() / "one.key", fs::perms(mode));
    const auto key = SecretKey::read(folder.path() / "one.key");
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().code, ErrorCode::file_error);
    EXPECT_THAT(key.error().message, HasSubstr("read or written by others"));
  }
}

TEST_F(SignatureTest, ADamagedSecretKeyIsRefused) {
  const fs::path path = folder.path() / "one.key";
  std::string text = text_of(path);
  text.at(100) = text.at(100) == '0' ? '1' : '0';
  std::ofstream(path) << text;
  const auto key = SecretKey::read(path);
  ASSERT_FALSE(key);
  EXPECT_THAT(key.error().message, HasSubstr("is damaged"));
  fs::resize_file(path, 64);
  const auto shorter = SecretKey::read(path);
  ASSERT_FALSE(shorter);
  EXPECT_THAT(shorter.error().message, HasSubstr("is not 128 hexadecimal digits"));
}

TEST_F(SignatureTest, SignaturesAreNamedByPaths) {
  EXPECT_EQ(signature_beside("/usr/lib/one.so"), "/usr/lib/one.so.sig");
  EXPECT_EQ(signature_in("/etc/signatures", "/usr/lib/one.so"),
            "/etc/signatures/%usr%lib%one.so.sig");
}

TEST_F(SignatureTest, OnlyKeysAreListed) {
  std::ofstream(keys / "README") << "text";
  fs::copy_file(keys / "one.pub", keys / "another.pub");
  const auto files = base::public_keys_in(keys);
  ASSERT_TRUE(files);
  EXPECT_THAT(*files, ElementsAre(keys / "another.pub", keys / "one.pub"));
}

} // namespace
} // namespace sartor::loader
