import { ApiProperty } from '@nestjs/swagger';
import type { ConsoleConfig } from '../config/sandbox-config.js';
import { FORMAT_A_ISSUERS, FORMAT_B_ISSUERS } from '../issuers/issuer-slugs.js';

export class ConsoleSettingsView {
  @ApiProperty({ type: String, format: 'uri', example: 'http://localhost:3001' })
  readonly users_base_url: string;

  @ApiProperty({ type: String, format: 'uri', example: 'http://localhost:3002' })
  readonly master_base_url: string;

  @ApiProperty({ type: String, description: 'For master-service.', example: 'sandbox-api-key' })
  readonly api_key: string;

  @ApiProperty({ type: String, format: 'uri', example: 'https://app.partner.example' })
  readonly partner_url: string;

  @ApiProperty({ type: [String], description: 'Slugs of the issuers whose own APIs are played.' })
  readonly issuers: string[];
}

export function presentSettings({ users, master, apiKey, partnerUrl }: ConsoleConfig): ConsoleSettingsView {
  return {
    users_base_url: users,
    master_base_url: master,
    api_key: apiKey,
    partner_url: partnerUrl,
    issuers: [...FORMAT_A_ISSUERS, ...FORMAT_B_ISSUERS].sort(),
  };
}
