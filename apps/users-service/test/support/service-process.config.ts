import { join } from 'node:path';
import type { Environment } from '@fd/platform';
import { ServiceProcesses as Processes } from '@fd/testing';

/** Starts processes of the built users-service. */
export class ServiceProcesses extends Processes {
  /** @param base settings of all processes: the stores and the provider URLs */
  constructor(base: Environment) {
    super(join(import.meta.dirname, '../../dist'), base);
  }
}
