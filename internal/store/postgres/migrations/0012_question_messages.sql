-- The messages of a question: few among all.
CREATE INDEX message_question ON message (question_id) WHERE question_id > 0;
