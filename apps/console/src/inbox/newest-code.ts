import { sandbox } from '../shell/sandbox-api.js';

const PAUSE_MS = 300;
const LIMIT_MS = 8_000;

/** Returns the newest code sent to an address, and waits for it; undefined if none arrives in time. */
export async function newestCode(address: string): Promise<string | undefined> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause()) {
    const messages = await sandbox.messages(address).catch(() => []);
    const code = messages.find((message) => message.code !== null)?.code;
    if (code) return code;
  }
  return undefined;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
