import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { MagicValuesView, presentMagicValue } from './magic-value.presenter.js';
import { MAGIC_VALUES } from './magic-values.table.js';

@Controller('api/magic-values')
export class MagicValuesController {
  @Get()
  @ApiOperation({ summary: 'Inputs that make something other than success happen' })
  @ApiOkResponse({ type: MagicValuesView })
  list(): MagicValuesView {
    return { magic_values: MAGIC_VALUES.map(presentMagicValue) };
  }
}
