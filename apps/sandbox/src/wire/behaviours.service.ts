import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Trouble } from '../magic/magic-value.js';
import { SilentCalls } from '../silent-calls/silent-calls.service.js';
import { Refusal } from './refusal.js';

/** How every party can fail. */
@Injectable()
export class Behaviours {
  constructor(private readonly silentCalls: SilentCalls) {}

  /**
   * Answers a call with trouble, or never.
   * @throws Refusal for `unavailable` and `broken`
   */
  behave(trouble: Trouble, response: Response): void {
    switch (trouble) {
      case 'unavailable':
        throw new Refusal(503, 'service_unavailable', 'The service cannot be reached at the moment.');
      case 'broken':
        throw new Refusal(500, 'internal', 'Something went wrong.');
      case 'garbled':
        return void response.status(200).type('html').send('<h1>Welcome</h1>');
      case 'silent':
        return this.silentCalls.hold(response);
    }
  }
}
