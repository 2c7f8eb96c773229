import { endWhenTold } from '@fd/platform/end-when-told';

// the shell's exit code after SIGTERM: an interrupted command is a failure
endWhenTold(143);
await import('./commands.js');
