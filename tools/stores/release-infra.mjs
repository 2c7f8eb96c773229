// node tools/stores/release-infra.mjs HOME PID [--drop]: releases the PostgreSQL and Redis of a process that died. See
// runOnDeath() in processes.mjs.
import { releaseInfra } from './infra.mjs';

const [home, pid, drop] = process.argv.slice(2);
await releaseInfra(home, Number(pid), { drop: drop === '--drop' });
