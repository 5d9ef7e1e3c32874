# SPDX-License-Identifier: Apache-2.0
"""What people say to a robot besides requests: sentences by dialogue act and topic.

They are compared with what was heard, by words and by meaning; the nearest one wins. `{place}`,
`{object}` stand for any value of that role. A `none` sentence starts nothing.
"""

from __future__ import annotations

from venus_ros.language.acts import ActKind

Bank = dict[tuple[ActKind, str], tuple[str, ...]]

TALK: Bank = {
    (ActKind.GREET, ''): (
        'hello', 'hi', 'hi there', 'hey', 'good morning', 'good evening', 'good afternoon',
        'hello robot', 'greetings', 'hey there', 'hello again', 'morning', 'howdy',
        'nice to see you', 'welcome back',
    ),
    (ActKind.THANKS, ''): (
        'thank you', 'thanks', 'thanks a lot', 'thank you very much', 'thank you so much',
        'many thanks', 'cheers', 'i appreciate it', 'thanks for your help', 'much appreciated',
        'that was very kind of you', 'thank you for the {object}', 'thanks for bringing it',
    ),
    (ActKind.GOODBYE, ''): (
        'goodbye', 'bye', 'bye bye', 'see you', 'see you later', 'good night', 'see you tomorrow',
        'i have to go now', 'talk to you later', 'take care', 'i am leaving now', 'farewell',
        'that is all for today',
    ),
    (ActKind.SMALLTALK, 'how_are_you'): (
        'how are you', 'how are you doing', 'how is it going', 'how do you feel', 'are you okay',
        'how have you been', 'what is up', 'how are you today', 'are you well', 'how was your day',
        'you all right',
    ),
    (ActKind.SMALLTALK, 'joke'): (
        'tell me a joke', 'do you know a joke', 'make me laugh', 'say something funny',
        'can you be funny', 'another joke please',
    ),
    (ActKind.SMALLTALK, 'praise'): (
        'good job', 'well done', 'you are great', 'you are a good robot', 'good robot', 'nice work',
        'that was perfect', 'you are very helpful', 'excellent', 'i like you', 'i love you',
        'you are so clever', 'you are doing a great job', 'you did well', 'i am proud of you',
        'you are amazing', 'that was great', 'i think you are great', 'you are funny', 'you are nice', 'good work', 'impressive', 'you are cute', 'brilliant',
    ),
    (ActKind.SMALLTALK, 'blame'): (
        'you are stupid', 'bad robot', 'that was wrong', 'you are slow', 'you are useless',
        'i do not like you', 'you made a mistake', 'that is not what i asked for',
        'you are not very smart', 'i hate you', 'you got it wrong', 'you misunderstood me',
    ),
    (ActKind.SMALLTALK, 'nice_to_meet_you'): (
        'nice to meet you', 'pleased to meet you', 'my name is anna', 'i am peter',
        'it is good to meet you', 'call me tom', 'this is my friend anna',
    ),
    (ActKind.SMALLTALK, 'sorry'): ('sorry', 'i am sorry', 'my apologies', 'excuse me', 'my bad'),
    (ActKind.SMALLTALK, 'feeling'): (
        'i am tired', 'i am bored', 'i am happy', 'i had a long day', 'i am hungry',
        'i do not feel well', 'i am so excited', 'what a day', 'i had a bad day', 'i am cold',
        'it is so quiet here', 'i feel lonely', 'i slept badly', 'i am in a good mood',
    ),
    (ActKind.ASK_SELF, 'name'): (
        'what is your name', 'who are you', 'what are you called', 'tell me your name',
        'how should i call you', 'what can i call you', 'do you have a name', 'introduce yourself',
        'tell me about yourself', 'may i know your name',
    ),
    (ActKind.ASK_SELF, 'abilities'): (
        'what can you do', 'what are you able to do', 'what do you know how to do', 'help',
        'how can you help me', 'what are your skills', 'what can i ask you', 'what can i say',
        'what are you good at', 'what else can you do', 'tell me what you can do',
        'what tasks can you do', 'what are you capable of', 'what are you for',
        'what kinds of things do you do', 'can you help me', 'how do i use you',
        'which commands do you understand', 'what is your purpose',
    ),
    (ActKind.ASK_SELF, 'places'): (
        'where can you go', 'which rooms do you know', 'what places do you know',
        'which rooms can you go to', 'what rooms are there', 'do you know the {place}',
    ),
    (ActKind.ASK_SELF, 'objects'): (
        'what can you bring me', 'which things can you carry', 'what objects do you know',
        'what can you pick up', 'which things can you fetch',
    ),
    (ActKind.ASK_SELF, 'what'): (
        'are you a robot', 'are you human', 'what are you', 'are you real', 'are you alive',
        'are you an ai', 'what kind of robot are you', 'are you a machine', 'do you have feelings',
        'are you a man or a woman', 'do you sleep', 'do you dream', 'do you eat',
        'do you have a family', 'do you have friends',
    ),
    (ActKind.ASK_SELF, 'how'): (
        'how do you work', 'how do you understand me', 'how were you made', 'who made you',
        'who built you', 'how old are you', 'where do you come from', 'who is your owner',
        'what are you made of', 'how fast can you drive', 'how heavy are you',
        'how long does your battery last', 'when were you built', 'are you connected to the internet',
        'where were you made',
    ),
    (ActKind.ASK_SELF, 'hear'): (
        'can you hear me', 'do you hear me', 'are you listening', 'do you understand me',
        'are you there', 'hello are you there', 'are you awake', 'did you hear me',
        'did you understand me', 'can you understand what i say', 'are you with me',
    ),
    (ActKind.ASK_SELF, 'see'): (
        'can you see me', 'do you see me', 'do you have eyes', 'do you have a camera', 'can you see',
        'are you blind',
    ),
    (ActKind.ASK_WORKS, 'doing'): (
        'what are you doing', 'what are you up to', 'are you busy', 'what are you working on',
        'what is your status', 'status', 'what are you doing right now', 'are you doing anything',
        'what did i ask you to do', 'what did i ask for', 'what is going on', 'are you still working',
        'what are you busy with', 'what task are you doing', 'are you on it', 'do you have work',
        'tell me what you are doing', 'what are your tasks', 'are you working', 'are you idle',
        'is anything running', 'what do you have to do', 'do you remember what i asked',
    ),
    (ActKind.ASK_WORKS, 'where'): (
        'where are you', 'where are you now', 'where are you going', 'where are you heading',
        'where are you driving', 'which room are you in', 'are you in the {place}',
        'are you in the {place} now', 'what is your position', 'where do you go', 'where are you at',
        'are you going to the {place}', 'in which room are you', 'tell me where you are',
        'are you on your way to the {place}', 'what is your location',
    ),
    (ActKind.ASK_WORKS, 'progress'): (
        'are you there yet', 'how far are you', 'how long will it take', 'how much longer',
        'are you almost there', 'how is it going with the {object}', 'is it taking long',
        'how far is it', 'when will you be there', 'how long until you are there',
        'how long do you still need', 'any progress', 'what is taking so long',
        'are you nearly there', 'are you nearly done', 'when will you be back', 'how much is left',
        'how long do you need', 'are you making progress', 'when will it be ready',
        'when will you arrive', 'when do you get there', 'are you still going', 'how far along are you',
        'how long does it take', 'are you close',
    ),
    (ActKind.ASK_WORKS, 'done'): (
        'are you done', 'are you finished', 'did you finish', 'have you finished', 'is it done',
        'did it work', 'did you get the {object}', 'do you have the {object}', 'have you got it',
        'did you bring the {object}', 'did you go to the {place}', 'were you in the {place}',
        'have you been to the {place}', 'have you arrived', 'did you arrive', 'are you ready',
        'did you pick up the {object}', 'did you make it', 'have you picked it up',
        'did you put the {object} in the {place}', 'was it successful', 'are you done with the {place}',
        'have you done what i asked', 'did you do it', 'were you able to do it', 'are you back',
        'have you brought the {object}', 'is the task complete', 'did you already go to the {place}',
    ),
    (ActKind.ASK_WORKS, 'result'): (
        'what did you find', 'what did you see', 'did you find it', 'did you find the {object}',
        'did you see anything', 'what was the result', 'what happened', 'any news', 'what did you see there',
        'what did you find out', 'and what was there', 'did you see the {object}', 'so what is there',
        'what went wrong', 'why did it fail', 'why did you stop', 'why are you not moving',
        'what is the problem', 'is something wrong', 'why could you not do it', 'did something go wrong',
        'what did you find in the {place}', 'what did you see in the {place}',
    ),
    (ActKind.ASK_WORKS, 'next'): (
        'what will you do next', 'what is next', 'what comes next', 'what are you going to do',
        'what are you going to do now', 'what is your plan', 'what do you do after that',
        'what are you doing next',
    ),
    (ActKind.STOP_TALKING, ''): (
        'stop talking', 'be quiet', 'shut up', 'quiet', 'silence', 'hush', 'quiet please',
        'stop speaking', 'do not talk', 'enough talking', 'please be silent', 'shush', 'zip it',
        'you talk too much', 'keep quiet', 'no more talking', 'that is enough talking', 'shh',
        'hold your tongue', 'stop chatting', 'can you be quiet',
    ),
    (ActKind.REPEAT, ''): (
        'what did you say', 'can you repeat that', 'say that again', 'repeat that please', 'pardon',
        'come again', 'once more please', 'i did not hear you', 'i did not understand you',
        'sorry what was that', 'what was that', 'please repeat', 'i did not catch that',
        'could you say that again', 'what', 'excuse me what did you say', 'say again', 'repeat',
        'i could not hear that', 'one more time', 'what do you mean', 'i beg your pardon',
    ),
    (ActKind.CANCEL, 'all'): (
        'cancel', 'cancel that', 'cancel it', 'stop', 'stop it', 'stop that', 'abort', 'never mind',
        'forget it', 'forget about it', 'forget that', 'stop now', 'halt', 'stop moving',
        'stop right there', 'do not do that', 'do not do it', 'i changed my mind', 'do not bother',
        'leave it', 'cancel everything', 'stop everything', 'cancel all', 'call it off',
        'drop it', 'abort the mission', 'stop what you are doing', 'it is not necessary any more',
        'i do not need it any more', 'you do not have to do it', 'no need to do it any more',
        'stop driving', 'stay where you are', 'do not move', 'cancel the task', 'quit it', 'freeze',
        'cancel my request', 'that is no longer necessary', 'forget what i said', 'emergency stop',
        'do not go', 'do not go there', 'do not bring it', 'cease', 'hold it', 'scratch that',
        'ignore that', 'ignore my request', 'stand down', 'cancel what i asked', 'end the task',
        'let us stop here', 'on second thought do not', 'enough', 'that is enough', 'stand still',
        'it is fine i do it myself', 'let it be', 'disregard that', 'stop the robot',
    ),
    (ActKind.OTHER, ''): (
        'the {place} is nice', 'i like the {place}', 'the {object} is pretty', 'i like the {object}',
        'the {place} is over there', 'the {object} is mine', 'i bought a {object} today',
        'we painted the {place} yesterday', 'my {object} is broken', 'the {place} is too small',
        'i am in the {place}', 'i am going to the {place}', 'i was in the {place}',
        'there is a {object} in the {place}', 'i put the {object} on the table',
        'the {object} is in the {place}', 'do you like the {place}', 'is the {place} big',
        'how big is the {place}', 'what is a {object}', 'what is a {place}', 'do you like the {object}',
        'is a {object} heavy', 'what is your favourite {object}', 'what is your favourite room',
        'why is the {object} so big', 'how do i get to the {place}', 'can i go to the {place}',
        'who is in charge of the {place}', 'how do you spell {object}', 'whose {object} is this',
        'how much does a {object} cost', 'what is the difference between a {object} and a {place}',
        'what do people use a {object} for', 'who invented the {object}', 'is the {object} yours',
        'what do you think about the {place}', 'which is bigger a {place} or a {object}',
        'the door to the {place} is open', 'it smells good in the {place}', 'i will go to the {place}',
        'he went to the {place}', 'she is in the {place}', 'my mother is in the {place}',
        'they brought me a {object}', 'i had a {object} when i was little', 'what colour is a {object}',
        'how many rooms does a house have', 'what do you do in a {place}', 'i love my {object}',
        'how many people fit in the {place}', 'can people sleep in a {place}', 'do you know what a {object} is',
        'when did you last clean the {place}', 'why do people put a {object} in the {place}',
        'do you want a {object}', 'would you like a {object}', 'do you need a {object}',
        'how would you go to the {place}', 'see you in the {place}', 'look at you',
        'look who is talking', 'look at me', 'should i go to the {place}', 'shall i bring the {object}',
        'should we put the {object} in the {place}', 'what would you do with a {object}',
        'what would happen in the {place}', 'how many {object} fit in the {place}',
        'what are {object} made of', 'is it far to the {place}', 'is the {place} far away',
        'which room do you like best', 'who lives in the {place}', 'who sleeps in the {place}',
        'why is the {place} called {place}', 'does the {place} have windows', 'who owns the {object}',
        'how old is the {object}', 'how heavy is the {object}', 'where did you buy the {object}',
        'how long have you had the {object}', 'can a {object} float', 'are {object} expensive',
        'is the {object} better than the {place}', 'take it easy', 'give me a break', 'come on',
        'get out of here', 'go away', 'give me a moment', 'let me think', 'let me see',
        'that is a nice {object}', 'what a lovely {place}', 'the {place} looks good',
        'how do you clean a {object}', 'is it healthy to have a {object}', 'can you explain what a {object} is',
    ),
    (ActKind.UNKNOWN, 'question'): (
        'what time is it', 'what is the weather like', 'what is the capital of france', 'what day is it',
        'who is the president', 'how much is two plus two', 'how tall is the eiffel tower',
        'what is the meaning of life', 'who won the game', 'when is my appointment',
        'how do you cook pasta', 'why is the sky blue', 'what is the news', 'is it going to rain',
        'how many days are in a year', 'what is ten times ten', 'who wrote that book', 'where is paris',
        'what is love', 'if i have three apples and eat one how many are left', 'which is heavier',
        'what is the largest animal', 'how far is the moon', 'is a whale a fish', 'where is germany',
        'if today is monday what day is tomorrow', 'what comes after seven', 'where do birds sleep',
        'how many legs does a spider have', 'who are my neighbours', 'where is my mother',
        'what is your opinion on politics', 'what did i have for lunch', 'what should i cook tonight',
        'do you believe in god', 'can fish fly', 'where does milk come from', 'what is the date today',
        'what is your favourite colour', 'what is your favourite food', 'what music do you like',
        'do you like music', 'what do you think', 'where do you live', 'what film should i watch',
        'is the earth round', 'why do cats purr', 'what rhymes with house', 'where is the nearest shop',
        'how is the weather outside', 'is it cold outside', 'where is everybody', 'what is for dinner',
        'how do i make coffee', 'what does that mean', 'why', 'why not', 'how come', 'since when',
    ),
    (ActKind.CANNOT, ''): (
        'open the window', 'turn on the light', 'switch off the television', 'play some music',
        'sing a song', 'dance', 'call my mother', 'cook dinner', 'make me a coffee', 'clean the floor',
        'vacuum the {place}', 'open the door', 'close the door', 'set an alarm for seven', 'jump',
        'send an email', 'order a pizza', 'wash the dishes', 'water the plants', 'feed the cat',
        'set a timer for five minutes', 'turn up the heating', 'write a letter', 'take a photo',
        'read me a story', 'tell me a story', 'tell me the news', 'tell me the time', 'charge yourself',
        'climb the stairs', 'iron my shirt', 'clean the {place}', 'tidy up the {place}', 'wave your hand',
        'paint the {place}', 'fly to the moon', 'buy me a {object}', 'wash the {object}', 'break the {object}',
        'throw the {object} out of the window', 'eat the {object}', 'repair the {object}', 'open the {object}',
        'turn on the {object}', 'switch off the {object}', 'fill the {object} with water', 'turn the lights on in the {place}',
        'speak louder', 'speak slower', 'speak french', 'whisper', 'remind me to call tom', 'answer the phone',
        'unlock the front door', 'spin around', 'lift me up', 'hug me', 'drive my car', 'empty the bin',
        'kick the {object}', 'hide the {object}', 'sell the {object}', 'burn the {object}',
        'drink the {object}', 'cut the {object}', 'fix the {object}', 'polish the {object}',
        'photograph the {object}', 'paint the {object}', 'draw a {object}', 'smash the {object}',
        'lock the {place}', 'decorate the {place}', 'heat the {place}', 'sweep the {place}',
        'mop the {place}', 'close the {place} door', 'build a {object}', 'invent a {object}',
        'charge the {object}', 'clean the {object}', 'cook the {object}', 'squeeze the {object}',
        'make a {object}', 'translate the {object}', 'play with the {object}', 'juggle the {object}',
        'take a picture of the {object}', 'give me a hug', 'take a break', 'go to sleep', 'sit down',
        'stand up', 'drive to the supermarket', 'go outside', 'fly to the {place}', 'go for a walk',
        'peel the {object}', 'count to ten', 'search the internet', 'read the {object} to me', 'dim the {object}',
    ),
}  # fmt: skip
"""Act and topic -> sentences."""

BACKCHANNELS = frozenset(
    ('uh huh', 'mm hmm', 'mm', 'hmm', 'yeah', 'yes', 'okay', 'right', 'i see', 'sure', 'all right',
     'cool', 'great', 'aha', 'ah', 'oh', 'got it', 'good', 'fine', 'nice', 'oh okay', 'yeah yeah',
     'yes yes', 'okay okay', 'wow', 'really', 'interesting', 'of course', 'exactly', 'oh i see',
     'true', 'perfect', 'yeah okay', 'okay good', 'uh', 'mm okay', 'oh really', 'i know', 'ha',
     'haha', 'that is right', 'yeah right', 'oh nice', 'very good', 'okay great', 'okay cool',
     'sounds good', 'very well', 'oh wow', 'huh', 'good to know', 'okay fine', 'ah okay', 'ah i see',
     'wonderful', 'super', 'lovely', 'that is good', 'that is great', 'that is nice', 'amazing')
)  # fmt: skip
"""Whole utterances that only say: I am listening."""

YES = frozenset(
    ('yes', 'yeah', 'yes please', 'sure', 'okay', 'of course', 'please do', 'do it', 'go ahead',
     'yes do it', 'right', 'correct', 'exactly', 'all right', 'absolutely', 'definitely', 'fine',
     'yes of course', 'yes go ahead', 'yeah sure', 'yes exactly', 'that is right', 'i do', 'please',
     'sounds good', 'why not', 'yes that one', 'uh huh', 'mm hmm', 'certainly', 'yes i do', 'good',
     'perfect', 'okay please', 'yes that is right', 'i think so', 'yes yes', 'yeah please', 'great')
)  # fmt: skip
NO = frozenset(
    ('no', 'no thanks', 'no thank you', 'not now', 'do not', 'no do not', 'rather not', 'not really',
     'of course not', 'no no', 'no i do not', 'absolutely not', 'please do not', 'i do not think so',
     'better not', 'negative', 'not at all', 'no not that', 'neither', 'no need', 'wrong', 'never',
     'no that is wrong', 'no it is not', 'i do not')
)  # fmt: skip
