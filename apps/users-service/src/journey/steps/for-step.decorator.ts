import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Step } from './journey.table.js';

export const FOR_STEP = Symbol('journey step of a route');

/** Says which step of the journey a route belongs to. Its `raises` must list JourneyErrors.stepLocked. */
export const ForStep = (step: Step): MethodDecorator =>
  applyDecorators(SetMetadata(FOR_STEP, step), ApiExtension('x-journey-step', step));
