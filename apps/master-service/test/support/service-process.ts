import { join } from 'node:path';
import type { Environment } from '@fd/platform';
import { ServiceProcesses as Processes } from '@fd/testing';

/** Processes of the built master-service. */
export class ServiceProcesses extends Processes {
  /** @param base settings of all processes: the stores */
  constructor(base: Environment) {
    super(join(import.meta.dirname, '../../dist'), base);
  }
}
