import type { ErrorDefinition } from '@fd/errors';

/** What the document of a service says beside what its routes declare. */
export interface ApiDescription {
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly security: 'bearer' | 'apikey' | 'none';
  /** Errors that any route may answer; those of status 401 only where credentials are asked for. */
  readonly commonErrors: readonly ErrorDefinition[];
  /** Errors about the header Idempotency-Key, which every POST takes. Left out: the header has no meaning. */
  readonly idempotencyErrors?: readonly ErrorDefinition[];
}
