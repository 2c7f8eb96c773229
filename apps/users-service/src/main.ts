import { endWhenTold } from '@fd/platform/end-when-told';

endWhenTold(0);
await import('./serve.js');
