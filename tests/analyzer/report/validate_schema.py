# SPDX-License-Identifier: Apache-2.0
"""Validates JSON reports against the schema: validate_schema.py SCHEMA REPORT...; prints the first trouble of each."""
import json
import sys

try:
    import jsonschema
except ImportError:
    print("[skipped] python3-jsonschema is not installed (apt-get install python3-jsonschema)")
    sys.exit(0)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


bad = 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        report = json.load(file, parse_constant=refuse)
    for error in validator.iter_errors(report):
        print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        bad += 1
        break
sys.exit(1 if bad else 0)
