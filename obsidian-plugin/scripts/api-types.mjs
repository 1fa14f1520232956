// Makes src/api-types.ts from the daemon's OpenAPI document: `node scripts/api-types.mjs PATH [--check]`.
// The document is in the repository above this folder, so only its root check runs this; a build never does.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const [source, flag] = process.argv.slice(2);
if (!source) {
  console.error("usage: node scripts/api-types.mjs OPENAPI.json [--check]");
  process.exit(2);
}
const TARGET = "src/api-types.ts";
const document = JSON.parse(readFileSync(source, "utf8"));

// Answers allow keys that a later daemon may add. As an index signature that would let a renamed field through as `unknown`.
for (const schema of Object.values(document.components.schemas)) {
  if (schema.properties && schema.additionalProperties === true) delete schema.additionalProperties;
}

const ast = await openapiTS(document, { defaultNonNullable: false });
const made = `// Generated from the daemon's OpenAPI document by scripts/api-types.mjs. Do not edit.\n\n${astToString(ast)}`;
if (flag !== "--check") {
  writeFileSync(TARGET, made);
} else if (readFileSync(TARGET, "utf8") !== made) {
  console.error(`${TARGET} is not what the OpenAPI document says. Run: make plugin-types`);
  process.exit(1);
}
