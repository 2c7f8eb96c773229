import { setTimeout as sleep } from 'node:timers/promises';
import { createBackend } from './backend.js';

// Your work: for an application that is ready, open the booking; for an unknown type, nothing.
const backend = createBackend(process.env, ({ type, data }) => console.log(`${data.user_id}: ${type}`));
backend.server.listen(Number(process.env['PORT']));
for (;;) {
  await backend.catchUp().catch((error: unknown) => console.error(`could not fetch: ${String(error)}`));
  await sleep(3_600_000);
}
