-- The failed task whose steps a task takes over and goes on from; 0 if none. A task is
-- taken over at most once.
ALTER TABLE task ADD COLUMN resumes BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX task_resumes ON task (resumes) WHERE resumes > 0;
