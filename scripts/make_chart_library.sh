#!/usr/bin/env bash
# Makes src/metassay/report/document/charts.js, the charting library inside every report: Vega, Vega-Lite, its
# interpreter (which needs no eval, so a report can forbid it) and its tooltips, in one file; and beside it
# charts.LICENSE, the licences of all that is in it, which also open the file itself. Needs Node.js and npm.
set -euo pipefail
target="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/src/metassay/report/document"
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
npx esbuild entry.js --bundle --minify --charset=ascii --format=iife --legal-comments=none --outfile=bundle.js \
  --metafile=parts.json --log-level=warning
cat >licences.js <<'JS'
const fs = require("fs");
// d3-delaunay is published with these two inside it, so the bundler does not see them.
const folders = new Set(["node_modules/delaunator", "node_modules/robust-predicates"]);
for (const [file, part] of Object.entries(JSON.parse(fs.readFileSync("parts.json")).outputs["bundle.js"].inputs))
  if (part.bytesInOutput > 0 && file !== "entry.js") folders.add(file.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)[0]);
const texts = new Map();
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(fs.readFileSync(`${folder}/package.json`));
  const text = fs.readFileSync(`${folder}/LICENSE`, "utf8").trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version} (${license})`]);
}
for (const [text, names] of texts) console.log(`${[...new Set(names)].join("\n")}\n\n${text}\n\n${"-".repeat(80)}\n`);
JS
{
  echo "charts.js holds Vega, Vega-Lite and what they need, made by scripts/make_chart_library.sh. Their licences:"
  echo
  node licences.js
} >"$target/charts.LICENSE"
{
  echo "/*"
  sed 's/\*\//* \//g' "$target/charts.LICENSE"
  echo "*/"
  # A script element ends at the first closing tag, wherever it stands.
  sed 's#</script#<\\/script#g' bundle.js
} >"$target/charts.js"
echo "wrote charts.js and charts.LICENSE to $target"
