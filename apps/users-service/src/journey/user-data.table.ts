import { PROOF, type UserTable } from '../core/index.js';
import { InsightDay } from './insights/insight-day.entity.js';
import { InsightEventRow } from './insights/insight-event.entity.js';
import { JourneyEvent } from './steps/journey-event.entity.js';
import { JourneyStepRow } from './steps/journey-step.entity.js';

export const JOURNEY_USER_DATA: readonly UserTable[] = [
  { entity: InsightEventRow, holds: 'events that the client reported' },
  { entity: InsightDay, holds: 'number of reported events for each day' },
  { entity: JourneyStepRow, holds: 'the steps and their states' },
  { entity: JourneyEvent, holds: 'changes of the steps', kept: PROOF },
];
