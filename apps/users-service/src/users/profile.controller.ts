import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { UserProfilePayload } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { CurrentSession } from '../sessions/current-session.decorator.js';
import type { SessionIdentity } from '../sessions/session-identity.js';
import { presentProfile } from './user.presenter.js';
import { UsersRepository } from './users.repository.js';

@ApiTags('Profile')
@Controller('api/v1/user-profile')
export class ProfileController {
  constructor(private readonly users: UsersRepository) {}

  @Get()
  @ApiOperation({ summary: 'What is known of the user; personal data is masked' })
  @Answers({ payload: UserProfilePayload })
  async profile(@CurrentSession() { userId }: SessionIdentity): Promise<UserProfilePayload> {
    const user = await this.users.findById(userId);
    // a session's user is never deleted without its sessions: the foreign key sees to it
    return presentProfile(userId, this.users.phoneOf(user!));
  }
}
