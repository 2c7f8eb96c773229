import { defineConfig } from 'vite';

// strictPort: the services allow pages of this address (CORS_ORIGINS)
export default defineConfig({
  root: import.meta.dirname,
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
  build: { target: 'es2023' },
});
