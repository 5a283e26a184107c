#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""manual.py COMMANDS OUTDIR: writes manual pages and shell completions of the commands in the folder COMMANDS.

Both are made from the output of --help, which the command-line parsers write:
OUTDIR/man/man1/sartor.1, sartor-cache.1, sartor-cache-ls.1, ..., man8/sartor-server.8,
OUTDIR/man/man1/sartor-c++.1, which shows sartor-cc.1,
OUTDIR/completions/{bash,zsh,fish}/.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import subprocess

import reference

PROGRAMS = {"sartor": 1, "sartor-cc": 1, "sartor-ld": 1, "sartor-server": 8}
SEE_ALSO = {"sartor": ["sartor-cc", "sartor-ld", "sartor-server"], "sartor-cc": ["sartor"],
            "sartor-ld": ["sartor"], "sartor-server": ["sartor"]}


@dataclasses.dataclass
class Option:
    names: list[str]  # empty for a positional argument
    argument: str     # as in the help: "TEXT REQUIRED"; a positional's name
    text: str


@dataclasses.dataclass
class Command:
    path: list[str]
    about: str
    usage: str
    options: list[Option]
    commands: list[Command]
    other: list[str]  # lines after these, such as an example

    @property
    def name(self) -> str:
        return " ".join(self.path)

    @property
    def page(self) -> str:
        """The name of its manual page; `sartor ld` is not the program sartor-ld."""
        name = "-".join(self.path)
        return f"{name}-commands" if len(self.path) > 1 and name in PROGRAMS else name


def entry(line: str) -> tuple[str, str] | None:
    """An entry of a list in the help: its words, and the text beside them."""
    match = re.match(r"  (?:  )?(\S(?:.*?\S)??)(?:\s{2,}(\S.*))?$", line)
    return (match[1], match[2] or "") if match and not line.startswith(" " * 20) else None


def option_of(words: str, text: str) -> Option:
    found = re.match(r"((?:-[\w-]+(?:,|, )?)+)[= ]?(.*)$", words)
    if not found:
        return Option([], words, text)
    return Option(re.split(r",\s*", found[1].rstrip(", ")), found[2].strip(), text)


def parse(path: list[str], help_text: str) -> Command:
    command = Command(path, "", "", [], [], [])
    about: list[str] = []
    part = "about"
    last: Option | None = None
    for line in help_text.splitlines():
        if line.startswith("Usage:"):
            # The help of sartor-cc is followed by that of the compiler.
            command.usage = command.usage or line.removeprefix("Usage:").strip()
            part = "about" if not about else "between"
        elif re.match(r"\[Option Group|  \[", line):
            part = "options"
        elif re.match(r" *(Positionals|Options):$", line):
            part = "options"
        elif re.match(r"Subcommands:$", line):
            part = "commands"
        elif not line.strip():
            last = None
            if part == "about" and about:
                about.append("")
            elif part == "other":
                command.other.append("")
        elif part == "about":
            about.append(line)
            if line.startswith("  ") and command.usage and entry(line) and line.lstrip().startswith("-"):
                about.pop()
                part = "options"
                last = option_of(*entry(line))
                command.options.append(last)
        elif part in ("options", "commands") and line.startswith("  "):
            item = entry(line)
            if item and part == "options":
                last = option_of(*item)
                command.options.append(last)
            elif item:
                command.commands.append(Command([*path, item[0]], item[1], "", [], [], []))
                last = None
            elif last:
                last.text = f"{last.text} {line.strip()}".strip()
            elif command.commands and part == "commands":
                command.commands[-1].about += " " + line.strip()
        else:
            part = "other"
            command.other.append(line)
    command.about = "\n".join(about).strip()
    return command


def read(folder: pathlib.Path, path: list[str]) -> Command:
    command = parse(path, reference.help_of(folder.resolve() / path[0], *path[1:]))
    command.commands = [read(folder, each.path) for each in command.commands]
    return command


def escape(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s|\n\n", " ".join(text.split()))[0].rstrip(".")


def man_page(command: Command, section: int, version: str) -> str:
    name = command.page
    lines = [f'.TH "{name.upper()}" "{section}" "" "Sartor {version}" "Sartor"', ".SH NAME",
             f"{escape(name)} \\- {escape(first_sentence(command.about) or name)}", ".SH SYNOPSIS",
             f".B {escape(command.usage or command.name)}", ".SH DESCRIPTION"]
    code = False
    for line in command.about.splitlines() or [command.name]:
        if line.startswith("  ") != code:
            code = not code
            lines.append(".nf" if code else ".fi")
        lines.append(escape(line) if line.strip() else ".PP")
    if code:
        lines.append(".fi")
    if command.options:
        lines.append(".SH OPTIONS")
        for option in command.options:
            names = ", ".join(f"\\fB{escape(each)}\\fR" for each in option.names)
            lines += [".TP", " ".join(filter(None, (names, f"\\fI{escape(option.argument)}\\fR" if option.argument else ""))),
                      escape(option.text) or "\\&"]
    if command.commands:
        lines.append(".SH COMMANDS")
        for each in command.commands:
            lines += [".TP", f"\\fB{escape(each.path[-1])}\\fR", escape(" ".join(each.about.split()))]
    if any(each.strip() for each in command.other):
        lines += [".SH EXAMPLES", ".nf", *map(escape, command.other), ".fi"]
    related = [f"\\fB{escape(each.page)}\\fR({section})" for each in command.commands]
    if len(command.path) > 1:
        parent = Command(command.path[:-1], "", "", [], [], [])
        related.insert(0, f"\\fB{escape(parent.page)}\\fR({section})")
    else:
        related += [f"\\fB{escape(each)}\\fR({PROGRAMS[each]})" for each in SEE_ALSO[command.path[0]]]
    lines += [".SH SEE ALSO", ", ".join(related)]
    return "\n".join(lines) + "\n"


def all_of(command: Command):
    yield command
    for each in command.commands:
        yield from all_of(each)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def bash(command: Command) -> str:
    function = "_" + re.sub(r"\W", "_", command.path[0])
    cases = []
    choices = []
    for each in all_of(command):
        words = [child.path[-1] for child in each.commands] + [name for option in each.options for name in option.names]
        if each.path[1:] == ["help"]:
            words += [child.path[-1] for child in command.commands]
        cases.append(f"    {quoted(' '.join(each.path[1:]))}) words={quoted(' '.join(words))} ;;")
        for option in each.options:
            if found := re.search(r"\{([^}]*)\}", option.argument):
                choices += [f"    {quoted(' '.join([*each.path[1:], name]))}) words={quoted(found[1].replace(',', ' '))} files= ;;"
                            for name in option.names]
    known = " ".join(f"[{quoted(' '.join(each.path[1:]))}]=1" for each in all_of(command) if len(each.path) > 1)
    return f"""# Completion of {command.path[0]} for bash; written by scripts/manual.py.
{function}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path= words= word files=1
  local -A commands=({known})
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ -z ${{commands["${{path:+$path }}$word"]-}} ]] || path=${{path:+$path }}$word
  done
  case $path in
{chr(10).join(cases)}
  esac
  case "${{path:+$path }}${{COMP_WORDS[COMP_CWORD-1]}}" in
{chr(10).join(choices) or "    *) ;;"}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -z $files || $current == -* ]] || mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
}}
complete -o filenames -F {function} {command.path[0]}
"""


def zsh(command: Command) -> str:
    def item(name: str, text: str) -> str:
        text = first_sentence(text).replace("[", "(").replace("]", ")")
        return quoted(f"{name}:{text}".replace("\\", "\\\\") if not name.startswith("-") else f"{name}[{text}]")

    function = "_" + re.sub(r"\W", "_", command.path[0])
    cases = []
    for each in all_of(command):
        options = " ".join(item(name, option.text) for option in each.options for name in option.names)
        commands = " ".join(item(child.path[-1], child.about) for child in each.commands)
        cases.append(f"    {quoted(' '.join(each.path[1:]))})\n      options=({options})\n      commands=({commands})\n      ;;")
    known = " ".join(f"{quoted(' '.join(each.path[1:]))} 1" for each in all_of(command) if len(each.path) > 1)
    return f"""#compdef {command.path[0]}
# Completion of {command.path[0]} for zsh; written by scripts/manual.py.
{function}() {{
  local path_= word
  local -a options commands
  local -A known=({known})
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    [[ -z ${{known[${{path_:+$path_ }}$word]-}} ]] || path_=${{path_:+$path_ }}$word
  done
  case $path_ in
{chr(10).join(cases)}
  esac
  (( $#commands )) && _describe command commands
  _values -w option $options 2>/dev/null
  _files
}}
{function} "$@"
"""


def fish(command: Command) -> str:
    program = command.path[0]
    lines = [f"# Completion of {program} for fish; written by scripts/manual.py."]
    for each in all_of(command):
        children = [child.path[-1] for child in each.commands]
        when = [f"__fish_seen_subcommand_from {name}" for name in each.path[1:]]
        if children:
            when.append(f"not __fish_seen_subcommand_from {' '.join(children)}")
        condition = f" -n {quoted('; and '.join(when))}" if when else ""
        for child in each.commands:
            lines.append(f"complete -c {program}{condition} -a {child.path[-1]} -d {quoted(first_sentence(child.about))}")
        for option in each.options:
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" if len(name) == 2 else f"-o {name[1:]}"
                             for name in option.names)
            if names:
                argument = " -r" if option.argument and "REQUIRED" != option.argument else ""
                lines.append(f"complete -c {program}{condition} {names}{argument} -d {quoted(first_sentence(option.text))}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", type=pathlib.Path)
    parser.add_argument("outdir", type=pathlib.Path)
    given = parser.parse_args()
    version = subprocess.run([str(given.commands / "sartor"), "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[-1]
    for program, section in PROGRAMS.items():
        command = read(given.commands, [program])
        folder = given.outdir / "man" / f"man{section}"
        folder.mkdir(parents=True, exist_ok=True)
        for each in all_of(command):
            (folder / f"{each.page}.{section}").write_text(man_page(each, section, version))
        for shell, name, text in (("bash", program, bash), ("zsh", f"_{program}", zsh), ("fish", f"{program}.fish", fish)):
            folder = given.outdir / "completions" / shell
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text(command))
    # The same program, for C++.
    (given.outdir / "man" / "man1" / "sartor-c++.1").write_text(".so man1/sartor-cc.1\n")


if __name__ == "__main__":
    main()
