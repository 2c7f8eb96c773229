import '@fd/platform/quiet-libraries';
import { exitOnSignal } from '@fd/platform/exit-on-signal';

// the shell's exit code after SIGTERM: an interrupted command is a failure
exitOnSignal(143);
await import('./commands.js');
