import { defaultClientConditions, defineConfig } from 'vite';

/** The developer console, built into dist, which the sandbox serves. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // libs/client, from its sources
  resolve: { conditions: ['@fd/source', ...defaultClientConditions] },
  build: {
    emptyOutDir: true,
    target: 'es2023',
    // the content security policy forbids inline scripts
    modulePreload: false,
    assetsInlineLimit: 0,
  },
});
