import { SetMetadata } from '@nestjs/common';

export const IS_UNCOUNTED = Symbol('is uncounted');

/** A controller that machines poll: the rate limit does not count its calls. */
export const Uncounted = (): ClassDecorator => SetMetadata(IS_UNCOUNTED, true);
