// node tools/stores/release-infra.mjs HOME PID [--drop]: what remains to be done for a process that died without
// releasing its PostgreSQL and Redis. See lastWill() in processes.mjs.
import { releaseInfra } from './infra.mjs';

const [home, pid, drop] = process.argv.slice(2);
await releaseInfra(home, Number(pid), { drop: drop === '--drop' });
