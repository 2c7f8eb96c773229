import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import { normalisePartnerUrl } from './partner-url.js';
import { Partner } from './partner.entity.js';

@Injectable()
export class PartnersRepository {
  constructor(@InjectRepository(Partner) private readonly partners: Repository<Partner>) {}

  /** The partner that registered a URL and was not disabled. */
  async findActive(url: string): Promise<Partner | null> {
    return this.partners.findOneBy({ url: normalisePartnerUrl(url), disabledAt: IsNull() });
  }
}
