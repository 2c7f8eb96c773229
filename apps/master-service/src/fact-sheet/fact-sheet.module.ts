import { type DynamicModule, Module } from '@nestjs/common';
import type { NamedKey } from '@fd/platform';
import { FACT_SHEET_KEY, FactSheetController } from './fact-sheet.controller.js';

@Module({})
export class FactSheetModule {
  /** @param key signs the sheets; without it they have no signature */
  static forRoot(key: NamedKey | undefined): DynamicModule {
    return {
      module: FactSheetModule,
      controllers: [FactSheetController],
      providers: [{ provide: FACT_SHEET_KEY, useValue: key }],
    };
  }
}
