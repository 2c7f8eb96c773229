import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiKeyGuard } from './api-key.guard.js';
import { RefusalFilter } from './refusal.filter.js';

/**
 * A controller that plays another company's API: asks for a key, refuses in their style, and is missing in our
 * document, since it is not ours.
 */
export const OutsideApi = (path: string): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    UseGuards(ApiKeyGuard),
    UseFilters(RefusalFilter),
    Controller(path),
  );
