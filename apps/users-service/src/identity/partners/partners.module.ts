import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PartnerTokens } from './partner-tokens.js';
import { Partner } from './partner.entity.js';
import { PartnersRepository } from './partners.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([Partner])],
  providers: [PartnersRepository, PartnerTokens],
  exports: [PartnersRepository, PartnerTokens],
})
export class PartnersModule {}
