import {
  BadRequestException,
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  Post,
  Query,
} from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiProperty, ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';
import { MOST_AHEAD_SECONDS, SandboxClock } from './sandbox-clock.js';

class ClockView {
  @ApiProperty({ type: 'integer', example: 600, description: 'Seconds ahead of the real time.' })
  readonly ahead_seconds: number;

  @ApiProperty({ type: 'integer', example: MOST_AHEAD_SECONDS, description: 'How far ahead it can be.' })
  readonly most_ahead_seconds: number;

  @ApiProperty({ type: 'integer', example: 1, description: 'Replicas of users-service that follow it now.' })
  readonly followers: number;
}

class AdvanceBody {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MOST_AHEAD_SECONDS, example: 600 })
  readonly advance_seconds: number;
}

const move = z.object({ advance_seconds: z.int().min(1).max(MOST_AHEAD_SECONDS) });

/** Lets codes, links, tokens and sessions expire without waiting for them. */
@Controller('api/clock')
export class ClockController {
  constructor(private readonly clock: SandboxClock) {}

  @Get()
  @ApiOperation({ summary: 'How far the clock of the sandbox is ahead of the real time' })
  @ApiQuery({ name: 'follower', required: false, description: 'Id of a replica that follows the clock.' })
  @ApiOkResponse({ type: ClockView })
  read(@Query('follower') follower?: unknown): ClockView {
    if (typeof follower === 'string' && follower.length <= 64) this.clock.noteFollower(follower);
    return this.present();
  }

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary:
      'Moves the clock forwards, and answers when its followers know it. 409 if it would be too far ahead.',
  })
  @ApiBody({ type: AdvanceBody })
  @ApiOkResponse({ type: ClockView })
  async advance(@Body() body: unknown): Promise<ClockView> {
    const { data } = move.safeParse(body);
    if (!data)
      throw new BadRequestException(
        `Give "advance_seconds": a whole number from 1 to ${MOST_AHEAD_SECONDS}.`,
      );
    if (!(await this.clock.advance(data.advance_seconds)))
      throw new ConflictException(
        `The clock is ${this.clock.aheadSeconds} s ahead, and moves to ${MOST_AHEAD_SECONDS} s at most.`,
      );
    return this.present();
  }

  private present(): ClockView {
    return {
      ahead_seconds: this.clock.aheadSeconds,
      most_ahead_seconds: MOST_AHEAD_SECONDS,
      followers: this.clock.followers,
    };
  }
}
