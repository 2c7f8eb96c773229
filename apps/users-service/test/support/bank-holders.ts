import { sandboxUrl } from './sandbox.config.js';

/** Says whose an account is, to vendors of the sandbox, which are not told the name of its holder. */
export async function nameHolder(account: string, name: string): Promise<void> {
  const answer = await fetch(`${sandboxUrl()}/api/bank-holders/${account}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (!answer.ok) throw new Error(`PUT /api/bank-holders answered ${answer.status}`);
}
