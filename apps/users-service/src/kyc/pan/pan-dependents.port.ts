import type { EntityManager } from 'typeorm';

/** What domains above keep about the holder of a PAN. */
export interface PanDependents {
  /** Forgets what was compared with the PAN of a user who loses it. The caller has locked the identity. */
  forgetPan(tx: EntityManager, userId: string): Promise<void>;
}

export const PAN_DEPENDENTS = Symbol('pan dependents');
