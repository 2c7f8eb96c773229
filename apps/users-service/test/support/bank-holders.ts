import { sandboxUrl } from './sandbox.config.js';

/** Sets the holder name that the sandbox's bank vendors return for an account: the service does not send it to them. */
export async function nameHolder(account: string, name: string): Promise<void> {
  const answer = await fetch(`${sandboxUrl()}/api/bank-holders/${account}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!answer.ok) throw new Error(`PUT /api/bank-holders answered ${answer.status}`);
}
