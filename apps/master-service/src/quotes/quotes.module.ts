import { Module } from '@nestjs/common';
import { QuoteMetrics } from './quote.metrics.js';
import { QuotesController } from './quotes.controller.js';

@Module({ controllers: [QuotesController], providers: [QuoteMetrics] })
export class QuotesModule {}
