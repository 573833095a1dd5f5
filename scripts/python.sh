#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it in an environment of its own, checks its types, and runs its tests. Exit code 3: Python or its packages cannot be had here.
#
#   scripts/python.sh [PYTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/../crates/python"

if ! python3 -c "import ensurepip, venv" 2>/dev/null; then
    [ "$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends python3-venv || exit 3
fi
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
pip="$environment/bin/python -m pip --quiet --disable-pip-version-check"
# Whether packages can be had here at all.
$pip install "maturin>=1.9,<2" "numpy>=1.24" || exit 3

$pip wheel --no-deps --wheel-dir "$environment/wheels" .
$pip install "$(echo "$environment"/wheels/ctm_gpu-*.whl)[test]"
"$environment/bin/mypy"
"$environment/bin/python" -m pytest -q "$@"
