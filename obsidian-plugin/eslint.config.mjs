// The rules of Obsidian's own review, run inside this folder (they read manifest.json from here), every warning an error.
import obsidianmd from "eslint-plugin-obsidianmd";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig([
  globalIgnores(["main.js", "node_modules", ".build", ".artefacts", "src/api-types.ts", "tests", "scripts", "*.mjs"]),
  ...obsidianmd.configs.recommendedWithLocalesEn,
  {
    files: ["**/*.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "obsidianmd/prefer-active-doc": "warn",
      "@typescript-eslint/no-unsafe-argument": "error",
      "@typescript-eslint/no-unsafe-assignment": "error",
      "@typescript-eslint/no-unsafe-call": "error",
      "@typescript-eslint/no-unsafe-member-access": "error",
      "@typescript-eslint/no-unsafe-return": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
    },
  },
  {
    // `eslint .` with the recommended set does not read the manifest.
    files: ["manifest.json"],
    languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: [".json"], projectService: false, project: false } },
    plugins: { obsidianmd },
    extends: [tseslint.configs.disableTypeChecked],
    rules: {
      "obsidianmd/validate-manifest": "error",
      "no-irregular-whitespace": "off",
      "@typescript-eslint/no-unused-expressions": "off",
    },
  },
]);
