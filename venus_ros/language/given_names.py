# SPDX-License-Identifier: Apache-2.0
"""Given names by which English speakers call each other, from the national lists of newborns."""

from __future__ import annotations

_LISTED = """
    aaron abby abigail adam aidan aisha alan albert alex alexander alexandra alexis alfie
    alfred alice alison alyssa amanda amelia amy andrea andrew andy angela anna anne annie
    anthony antonio archie ashley audrey austin ava barbara beatrice becky bella ben benjamin
    bernard beth bethany betty beverly billy blake bobby bonnie bradley brandon brenda brian
    brittany bruce bryan caleb callum cameron carl carla carlos carol caroline carolyn
    catherine cathy charles charlie charlotte cheryl chloe chris christian christina christine
    christopher cindy claire clara colin connor craig curtis cynthia daisy dan daniel danielle
    danny darren dave david deborah debra denise dennis derek diana diane dominic donald donna
    doris dorothy douglas dylan eddie edith edward eileen elaine eleanor elena elijah elizabeth
    ella ellen ellie elsie emily emma eric erin ethan eva evan eve evelyn evie fatima felix
    finn fiona florence frances francis fred freddie freya gabriel gareth gary gavin geoffrey
    george georgia gerald gina gloria gordon graham greg gregory hannah harold harriet harry
    harvey helen henry howard hugh ian imogen irene isaac isabel isabella isabelle isla jack
    jackie jacob jacqueline jake james jamie jan jane janet janice jason jayden jeff jeffrey
    jennifer jenny jeremy jerry jesse jessica jim jimmy joan joanna joanne joe joel johanna
    john johnny jonathan jordan jose joseph josephine josh joshua joyce juan judith judy julia
    julian julie justin karen kate katherine kathleen kathryn kathy katie keith kelly ken
    kenneth kevin kim kimberly kyle laura lauren lawrence leah lee leo leon leonard leslie
    lewis liam lily linda lindsay lisa liz logan lois lola lorraine louis louise lucas lucy
    luis luke lydia lynn madison maggie malcolm marcus margaret maria marie marilyn mario
    marion martha martin martina mary mateo matilda matt matthew maureen maya megan melanie
    melissa mia michael michelle miguel mike millie miriam mohammed molly monica morgan nadia
    nancy naomi natalie natasha nathan nathaniel neil nicholas nicola nicole nigel nina noah
    nora norman oliver olivia omar oscar owen paige pamela patricia patrick paul paula pauline
    peter phil philip phoebe phyllis polly rachel ralph raymond rebecca reggie rhys richard
    riley rita robert roger roland ron ronald rory rosie roy russell ruth ryan sally sam
    samantha samuel sandra sara sarah scarlett scott sean sebastian shane shannon sharon sheila
    shirley simon sofia sonia sophia sophie spencer stacey stanley stella stephanie stephen
    steve steven stewart stuart susan suzanne sylvia tara ted teresa terry theo theodore
    theresa thomas tiffany tim timothy tina toby todd tom tommy tony tracey tracy travis trevor
    tyler valerie vanessa vera vicky victoria vincent virginia vivian walter wayne wendy wesley
    william yasmin yvonne zach zachary zara zoe
    mum mom mummy mommy dad daddy grandma grandpa granny grandad nana auntie darling honey
    sweetheart
"""

GIVEN_NAMES = frozenset(_LISTED.split())
"""Lower case, with what families call each other; hardly one of them is an ordinary word, too."""
