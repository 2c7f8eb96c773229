import { join } from 'node:path';
import { defineConfig } from 'vite';

const at = (path) => join(import.meta.dirname, path);

/** The developer console: from console/ to dist/browser, which the sandbox serves. */
export default defineConfig({
  root: at('console'),
  // the sandbox has its own way of serving public/, which the hosted pages need too
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('dist/browser'),
    emptyOutDir: true,
    target: 'es2023',
    // the content security policy lets nothing inline run
    modulePreload: false,
    assetsInlineLimit: 0,
  },
});
