import '@fd/platform/quiet-libraries';
import { exitOnSignal } from '@fd/platform/exit-on-signal';

exitOnSignal(0);
await import('./serve.js');
