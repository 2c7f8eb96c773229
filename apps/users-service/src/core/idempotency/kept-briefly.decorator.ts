import { SetMetadata } from '@nestjs/common';

export const KEPT_BRIEFLY = Symbol('answers are kept briefly');

/**
 * For a route whose answer holds credentials: long enough for a client that lost it to ask again, and no longer,
 * since a kept answer would make a used code or token good for another day.
 */
export const KeptBriefly = (): MethodDecorator => SetMetadata(KEPT_BRIEFLY, true);
