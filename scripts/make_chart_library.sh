#!/usr/bin/env bash
# Makes src/metassay/report/document/charts.js, the charting library inside every report: Vega, Vega-Lite, its
# interpreter (which needs no eval, so a report can forbid it) and its tooltips, in one file. Needs Node.js and npm.
set -euo pipefail
target="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/src/metassay/report/document/charts.js"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund vega@6.4.0 vega-lite@6.4.3 vega-interpreter@2.3.2 vega-tooltip@1.1.0 esbuild@0.28.2
cat >entry.js <<'JS'
import { View, parse } from "vega";
import { compile } from "vega-lite";
import { expressionInterpreter } from "vega-interpreter";
import { Handler } from "vega-tooltip";
window.charts = { View, parse, compile, expressionInterpreter, Handler };
JS
npx esbuild entry.js --bundle --minify --charset=ascii --format=iife --legal-comments=none --outfile=bundle.js --log-level=warning
{
  echo "/* Vega 6.4.0, Vega-Lite 6.4.3, vega-interpreter 2.3.2, vega-tooltip 1.1.0 and what they need (d3, topojson)."
  echo "   Made by scripts/make_chart_library.sh. Their licences follow."
  for package in vega vega-lite vega-interpreter vega-tooltip d3-array; do
    printf '\n%s\n' "$package"
    sed 's/\*\//* \//g' "node_modules/$package/LICENSE"
  done
  echo "*/"
  # A script element ends at the first closing tag, wherever it stands.
  sed 's#</script#<\\/script#g' bundle.js
} >"$target"
echo "wrote $target"
