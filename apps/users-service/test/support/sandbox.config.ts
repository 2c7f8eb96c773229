/** The sandbox of this test run: see global-setup.mjs. */
export function sandboxUrl(): string {
  const url = process.env['FD_TEST_SANDBOX_URL'];
  if (!url) throw new Error('FD_TEST_SANDBOX_URL is not set');
  return url;
}

/** Returns the URL of the sandbox of this test run. */
interface SandboxPorts {
  readonly http: number;
  readonly https: number;
  readonly smtp: number;
}

export async function sandboxPorts(): Promise<SandboxPorts> {
  const answer = await fetch(`${sandboxUrl()}/api/ports`);
  if (!answer.ok) throw new Error(`GET /api/ports answered ${answer.status}`);
  return (await answer.json()) as SandboxPorts;
}
