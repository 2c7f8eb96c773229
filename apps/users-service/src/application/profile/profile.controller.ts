import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { UserProfilePayload } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { Audited, BeforeConfirmation, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { ProfileService } from './profile.service.js';

@ApiTags('Profile')
@Controller('api/v1/user-profile')
export class ProfileController {
  constructor(private readonly profiles: ProfileService) {}

  @Get()
  @BeforeConfirmation()
  @Audited('PROFILE_READ')
  @ApiOperation({
    summary: "The user's profile, masked",
    description: 'Returns names, masked contacts, and which verifications are complete.',
  })
  @Answers({ payload: UserProfilePayload })
  async profile(@CurrentSession() { userId, isUnconfirmed }: SessionIdentity): Promise<UserProfilePayload> {
    return isUnconfirmed ? this.profiles.newProfile(userId) : this.profiles.profile(userId);
  }
}
