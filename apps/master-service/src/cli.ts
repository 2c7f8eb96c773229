import { endWhenTold } from '@fd/platform/end-when-told';

// what a shell says of a program that SIGTERM ended: a command that was not finished is no success
endWhenTold(143);
await import('./commands.js');
