/** The sandbox of this test run: see global-setup.mjs. */
export function sandboxUrl(): string {
  const url = process.env['FD_TEST_SANDBOX_URL'];
  if (!url) throw new Error('FD_TEST_SANDBOX_URL is not set');
  return url;
}
