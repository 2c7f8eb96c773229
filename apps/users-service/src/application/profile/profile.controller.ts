import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { UserProfilePayload } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import { ProfileService } from './profile.service.js';

@ApiTags('Profile')
@Controller('api/v1/user-profile')
export class ProfileController {
  constructor(
    private readonly profiles: ProfileService,
    private readonly journey: JourneyRepository,
  ) {}

  @Get()
  @Audited('PROFILE_READ')
  @ApiOperation({ summary: 'What is known of the user; numbers and addresses are masked' })
  @Answers({ payload: UserProfilePayload })
  async profile(@CurrentSession() { userId }: SessionIdentity): Promise<UserProfilePayload> {
    const profile = await this.profiles.profile(userId);
    // reading the profile is what the step HOME consists of
    const { HOME } = await this.journey.statesOf(userId);
    if (HOME?.state !== 'DONE') await this.journey.record({ userId, step: 'HOME', event: 'COMPLETED' });
    return profile;
  }
}
