import { Module } from '@nestjs/common';
import { FactSheetController } from './fact-sheet.controller.js';

@Module({ controllers: [FactSheetController] })
export class FactSheetModule {}
