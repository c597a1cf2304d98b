// Prints the licences of the npm packages of which something is in a bundle: a list, then each text once, in the form of
// THIRD_PARTY_LICENSES. The argument is esbuild's metafile. Fails if a package has a licence that is not allowed.
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";

// Licences that ask for no more than their text. Any other is a decision to make, not to slip in.
const ALLOWED = ["BSD-3-Clause", "ISC", "MIT", "Unlicense"];

const {outputs} = JSON.parse(readFileSync(process.argv[2], "utf8"));
const directories = new Set();
for (const {inputs} of Object.values(outputs)) {
  for (const [path, {bytesInOutput}] of Object.entries(inputs)) {
    const directory = path.match(/^.*\/node_modules\/(@[^/]+\/)?[^/]+/)?.[0];
    if (directory && bytesInOutput > 0) directories.add(directory);
  }
}

const packages = [...directories].map(directory => {
  const {name, version, license} = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  if (!ALLOWED.includes(license)) throw new Error(`${name} ${version}: licence ${license} is not one of ${ALLOWED.join(", ")}`);
  const file = readdirSync(directory).find(name => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${name} ${version} has no file with its licence`);
  const text = readFileSync(join(directory, file), "utf8").replace(/[^\S\n]+$/gm, "").trim();
  return {title: `${name} ${version}`, license, text};
}).sort((a, b) => (a.title < b.title ? -1 : 1));

const users = new Map();
for (const {title, text} of packages) users.set(text, [...(users.get(text) ?? []), title]);

for (const {license, title} of packages) console.log(`${license.padEnd(13)} ${title}`);
for (const [text, titles] of users) {
  const line = "=".repeat(100);
  console.log(["", line, ...titles, line, "", text].join("\n"));
}
