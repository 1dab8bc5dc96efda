// What the twin's thread does: a second recommender for each group that folds the same log, learns,
// and saves.

import { createEngine } from '../../kernels/index.ts'
import { loadModel } from '../../models/index.ts'
import { createWeightWatch, restoreRecommender } from '../../recommender/index.ts'
import type { Recommender, WeightWatch } from '../../recommender/index.ts'
import { openSqliteReader } from '../../storage/index.ts'
import type { EventReader, Position } from '../../storage/index.ts'
import { createSplit } from '../arms.ts'
import { createFold } from '../fold.ts'
import type { Fold } from '../fold.ts'
import { groupPlans, groupSettings } from '../groups.ts'
import type { Lesson, ThreadCalls, ThreadStart } from './calls.ts'

interface TwinGroup {
  readonly name: string
  readonly recommender: Recommender
  readonly watch: WeightWatch
}
