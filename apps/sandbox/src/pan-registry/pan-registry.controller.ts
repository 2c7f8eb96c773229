import { Body, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { isTrouble } from '../magic/magic-value.js';
import { behaviourOf } from '../magic/magic-values.table.js';
import { Behaviours } from '../wire/behaviours.service.js';
import { OutsideApi } from '../wire/outside-api.decorator.js';
import { readBody } from '../wire/wire-request.js';
import { PanRegistryService, panVerification } from './pan-registry.service.js';

@OutsideApi('providers/pan')
export class PanRegistryController {
  constructor(
    private readonly registry: PanRegistryService,
    private readonly behaviours: Behaviours,
  ) {}

  @Post('verifications')
  verify(@Body() body: unknown, @Res() response: Response): void {
    const { pan } = readBody(panVerification, body);
    const behaviour = behaviourOf('pan', 'pan', pan);
    if (isTrouble(behaviour)) return this.behaviours.behave(behaviour, response);
    response.status(200).json(this.registry.lookUp(pan, behaviour));
  }
}
