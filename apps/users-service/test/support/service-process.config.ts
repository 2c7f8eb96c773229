import { resolve } from 'node:path';
import type { Environment } from '@fd/platform';
import { ServiceProcesses as ProcessesOf } from '@fd/testing';

/** Processes of this service. */
export class ServiceProcesses extends ProcessesOf {
  constructor(base: Environment) {
    super(resolve(__dirname, '../../dist'), base);
  }
}
