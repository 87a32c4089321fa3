# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that build: what is needed, and how it is installed. Debian and Ubuntu.

# What everything needs; the GUI; the tests.
MOESCOPE_PACKAGES="cmake ninja-build g++ libsqlite3-dev libfmt-dev libcli11-dev libsimdjson-dev libtomlplusplus-dev zlib1g-dev libisal-dev qt6-base-dev fonts-dejavu-core"
MOESCOPE_TEST_PACKAGES="catch2 sqlite3 git python3 python3-jsonschema binutils"
[ "$(uname -m)" != x86_64 ] || MOESCOPE_TEST_PACKAGES="$MOESCOPE_TEST_PACKAGES g++-aarch64-linux-gnu"

# install_packages NAME...: says what is missing and installs just that; nothing to do, nothing said.
install_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian or Ubuntu system. Install the equivalents of: $*" >&2
    return 0
  fi
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Need root to install: ${missing[*]}" >&2; return 1; }
    sudo=(sudo)
  fi
  echo "Installing with apt-get: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update -q && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "apt-get failed; the packages wanted: ${missing[*]}" >&2
    return 1
  fi
  rm -f "$log"
}

# need_cmake: 3.25 or newer, or one line that says where to get it.
need_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  [ "$(printf '%s\n3.25\n' "$version" | sort -V | head -n 1)" = 3.25 ] ||
    { echo "moescope needs CMake 3.25 or newer, this is $version: pip install cmake" >&2; return 1; }
}
