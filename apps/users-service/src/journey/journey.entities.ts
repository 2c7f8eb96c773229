import { InsightDay } from './insights/insight-day.entity.js';
import { InsightEventRow } from './insights/insight-event.entity.js';
import { JourneyEvent } from './steps/journey-event.entity.js';
import { JourneyStepRow } from './steps/journey-step.entity.js';

export const JOURNEY_ENTITIES = [InsightDay, InsightEventRow, JourneyEvent, JourneyStepRow];
