#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# web.sh DIRECTORY LOADER [OPTION...]: measures the site with the stock loader and with the sartor-ld of the path
# LOADER, in DIRECTORY: samples.json, logs, the site's files and data. Options are those of turns.py. Runs in mount,
# process and network namespaces of its own, so that nothing is left however it ends; unshare, which it becomes, ignores
# SIGTERM but not SIGKILL. Exits with 77 if these or packages are missing.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../namespaces.sh"
usage="usage: web.sh DIRECTORY LOADER [OPTION...]"
directory=$(realpath -m "${1:?$usage}") loader=$(realpath -e "${2:?$usage}")
shift 2
need ip unshare perf python3 php8.2 nginx php-fpm8.2 mariadbd mariadb-install-db mariadb
[[ -e /usr/share/wordpress/wp-load.php && -e /usr/share/wordpress/wp-content/themes/twentytwentythree ]] ||
  { echo "skipped: there is no WordPress: scripts/deps.sh web installs it"; exit 77; }
be_alone "$directory" "$directory" "$loader" "$@"

# A short path that the servers' users can reach, wherever DIRECTORY is.
chmod 755 "$directory"
mount --bind "$directory" /mnt
make_spaces /mnt/namespace.log web
rm -f /mnt/samples.json
within web "$here/turns.py" "$loader" /mnt/samples.json "$@"
